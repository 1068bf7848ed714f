"""What people do to the hosts: one module a host, named like it, with its HOST and VARIANTS."""
