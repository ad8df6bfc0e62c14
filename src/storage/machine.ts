import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Where systems with systemd, and most others on Linux, name the machine. */
const MACHINE_ID = '/etc/machine-id';

/** What can be asked about the machine that the extension runs on. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** Contents of the system's machine ID file; `undefined` if there is none. */
  readonly machineId: () => string | undefined;
  readonly hostName: () => string;
}

/** The machine that this process runs on. */
export const thisMachine: Machine = {
  platform: process.platform,
  machineId: () => {
    try {
      return readFileSync(MACHINE_ID, 'utf8');
    } catch {
      return undefined;
    }
  },
  hostName: hostname,
};

/**
 * Names the machine and the folder that sessions are kept in. One SecretStorage may be seen from several remote machines,
 * and a home folder may be copied or shared, but elsewhere neither the locks nor the journals are seen: so everything that's
 * kept outside the folder is kept under this name.
 *
 * Every window on this machine gets the same name, local or attached to a remote, with telemetry on or off; the editor's own
 * machine ID and its remote's name don't have that property. Linux names machines and containers in a file, or else by a
 * host name that stays. macOS changes the host name with the network, and neither it nor Windows has a file to read, so
 * there the name is the same on all machines that have the same folder.
 */
export function originName({ platform, machineId, hostName }: Machine, folder: string): string {
  const id = machineId()?.trim() ?? '';
  const ownName = platform === 'linux' ? (id === '' ? hostName() : id) : '';
  return createHash('sha256')
    .update(JSON.stringify([platform, ownName, folder]))
    .digest('hex')
    .slice(0, 32);
}
