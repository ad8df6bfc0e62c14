@rem "npm start" runs "exec node" so that Linux's shell becomes Node.js and passes on Ctrl-C. Windows' shell has no such command.
@%*
