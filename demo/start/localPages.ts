import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Leads a browser to the pages of this machine that VS Code's workbench opens. */
export interface LocalPages {
  /** The address under which the workbench opens a port of this machine; it fills in the port. */
  readonly template: string;
  close(): Promise<void>;
}

/**
 * The workbench in a browser opens pages of this machine under an address with the port in its path, which is meant for a
 * proxy. Here's no proxy, because the browser reaches these pages itself: they're redirected to.
 */
export async function startLocalPages(): Promise<LocalPages> {
  const server = createServer(({ url = '' }, response) => {
    const [, port, target] = /^\/(\d{1,5})(?:\/+(.*))?$/.exec(url) ?? [];
    if (port === undefined) response.writeHead(404).end();
    else response.writeHead(302, { Location: `http://127.0.0.1:${port}/${target ?? ''}` }).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    template: `http://127.0.0.1:${(server.address() as AddressInfo).port}/{{port}}/`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
