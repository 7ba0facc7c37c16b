"""The measures of Korean CommonGen's published tables: `table` has the columns, `overlap` and `meteor` formulas."""
