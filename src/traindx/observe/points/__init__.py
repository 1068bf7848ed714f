"""One file for each part of torch that is wrapped. Each defines `install(hooks)`."""
