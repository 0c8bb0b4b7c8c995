"""One module or folder a format: native sessions in, neutral sessions out."""
