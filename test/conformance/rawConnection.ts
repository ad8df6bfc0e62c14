import { connect, type Socket } from 'node:net';
import { Waiters } from '../support/waiters';

/** Sends one POST request without a body over a bare connection, so that a test sees what a client library hides. */
export class RawConnection {
  private readonly socket: Socket;
  private readonly ended: Promise<string>;
  private readonly waiters = new Waiters();
  private text = '';

  constructor(url: string) {
    const { hostname, port, pathname, search, host } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.ended = new Promise((resolve) => {
      this.socket.on('error', (error: NodeJS.ErrnoException) => {
        resolve(error.code ?? error.message);
      });
      this.socket.on('close', () => {
        resolve('closed');
      });
    });
    this.socket.on('data', (bytes) => {
      this.text += bytes.toString('latin1');
      this.waiters.check();
    });
    this.socket.write(`POST ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`);
  }

  /** What has arrived so far. */
  get received(): string {
    return this.text;
  }

  /** Resolves when that many characters have arrived. */
  has(length: number): Promise<void> {
    return this.waiters.until(() => this.text.length >= length);
  }

  /** Resolves when the service ends the connection; `end` is `closed` or the system's error code. */
  async end(): Promise<{ readonly text: string; readonly end: string }> {
    const end = await this.ended;
    return { text: this.text, end };
  }

  /** Ends the connection from this side. */
  close(): void {
    this.socket.destroy();
  }
}
