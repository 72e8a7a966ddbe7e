x = ((((((((

def f(:
  with Mesh(
