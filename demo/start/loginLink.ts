import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A link that logs a browser in, once. */
export interface LoginLink {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Makes a link that opens VS Code's server without its password. It's for whoever sees the terminal, as the password is: its key is
 * made at random, and is of no use anymore once somebody has followed it. Then it leads to the login page, which asks for the password.
 * @param editor the address of the server
 */
export async function startLoginLink(editor: string, password: string): Promise<LoginLink> {
  const link = `/${randomBytes(15).toString('base64url')}`;
  let isUsed = false;
  const server = createServer(({ url }, response) => {
    const isFirst = url === link && !isUsed;
    isUsed ||= isFirst;
    const cookies = isFirst ? logIn(editor, password) : Promise.resolve([]);
    cookies
      // The cookie is for all ports of this host.
      .then((cookie) => response.writeHead(302, { Location: `${editor}/`, 'Set-Cookie': [...cookie] }))
      .catch(() => response.writeHead(502))
      .finally(() => response.end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${link}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Enters the password on the login page, and resolves with the cookies that let a browser in. */
async function logIn(editor: string, password: string): Promise<readonly string[]> {
  const body = new URLSearchParams({ password });
  const { headers } = await fetch(`${editor}/login`, { method: 'POST', body, redirect: 'manual' });
  return headers.getSetCookie();
}
