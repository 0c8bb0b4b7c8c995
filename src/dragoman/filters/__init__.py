"""What changes a conversation between reader and writer."""
