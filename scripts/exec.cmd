@rem npm's scripts run "exec node" because not every shell becomes its last command (Debian's doesn't), and one that waits for
@rem Node.js doesn't pass on a signal that only npm gets. Windows' shell has no such command.
@%*
