import { connect, type Socket } from 'node:net';

/** What came over a connection until it ended, and how it ended. */
export interface RawAnswer {
  readonly text: string;
  /** `closed` in order, or the system's code of the error. */
  readonly end: string;
}

/** Sends one request by hand, so that a test sees what a client library would hide. */
export class RawConnection {
  private readonly socket: Socket;
  private text = '';
  private readonly ended: Promise<string>;
  private readonly watchers = new Set<() => void>();

  /** @param url where to send a request with that method and no body */
  constructor(url: string, method = 'POST') {
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
      for (const look of this.watchers) look();
    });
    this.socket.write(`${method} ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`);
  }

  /** What has come so far. */
  get received(): string {
    return this.text;
  }

  /** Resolves once that many characters came. */
  has(length: number): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.text.length < length) return;
        this.watchers.delete(look);
        resolve();
      };
      this.watchers.add(look);
      look();
    });
  }

  /** Waits until the service ends the connection. */
  async end(): Promise<RawAnswer> {
    const end = await this.ended;
    return { text: this.text, end };
  }

  /** Ends the connection from this side. */
  close(): void {
    this.socket.destroy();
  }
}
