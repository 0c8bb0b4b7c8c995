"""Where agents keep their sessions."""
