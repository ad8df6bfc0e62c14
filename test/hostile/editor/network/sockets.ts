import type { AddressInfo, Server, Socket } from 'node:net';

/** A server on loopback, whose connections end with it. */
export interface Listening {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Lets a server listen on any free port of loopback. */
export async function listen(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    // Whoever gives up resets its connection.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        sockets.forEach((socket) => socket.destroy());
      }),
  };
}
