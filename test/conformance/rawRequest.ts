import { connect } from 'node:net';

/**
 * Sends one POST request without a body over a bare connection, so that a test sees what a client library hides.
 * @returns all that arrived, and how the service ended the connection: `closed`, or the system's error code
 */
export function rawRequest(url: string): Promise<{ readonly text: string; readonly end: string }> {
  const { hostname, port, pathname, search, host } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket
      .on('data', (bytes) => (text += bytes.toString('latin1')))
      .on('error', ({ code, message }: NodeJS.ErrnoException) => {
        resolve({ text, end: code ?? message });
      })
      .on('close', () => {
        resolve({ text, end: 'closed' });
      })
      .write(`POST ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`);
  });
}
