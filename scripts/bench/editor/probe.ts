import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '../../../host/until';
import type { Jobs } from '../probe/jobs';

/** The probe in one window, from outside. */
export class Probe {
  private constructor(private readonly file: string) {}

  /**
   * Waits for the probe.
   * @param folder where the probes listen
   * @param extensionHost process ID of the window's extension host
   */
  static async in(folder: string, extensionHost: number): Promise<Probe> {
    const probe = new Probe(path.join(folder, `${extensionHost}.sock`));
    // A socket's file is there a moment before anybody listens, so only a connection shows that the probe does.
    const socket = await until('the probe to listen', () => probe.connect());
    socket.destroy();
    return probe;
  }

  /**
   * Has a job done.
   * @throws Error with the probe's own words if it failed
   */
  async do<K extends keyof Jobs>(name: K, ask: Jobs[K]['ask']): Promise<Jobs[K]['answer']> {
    const socket = await this.connect();
    socket.write(`${JSON.stringify({ name, ask })}\n`);
    const result = JSON.parse(await text(socket)) as { answer: Jobs[K]['answer'] } | { error: string };
    if ('error' in result) throw new Error(`The probe could not do "${name}": ${result.error}`);
    return result.answer;
  }

  private async connect(): Promise<Socket> {
    const socket = connect(this.file);
    await once(socket, 'connect');
    return socket;
  }
}
