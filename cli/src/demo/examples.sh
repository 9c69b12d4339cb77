feedback serve --demo --data-dir demo
