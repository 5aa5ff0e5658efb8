SELECT certificate_pem, key_pem, created_at FROM authority WHERE id = 1;
