"""One module or folder a format: neutral sessions in, bytes out."""
