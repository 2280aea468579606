func.func private @none()
