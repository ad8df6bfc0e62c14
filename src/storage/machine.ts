import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** The machine's ID on most Linux systems. */
const MACHINE_ID = '/etc/machine-id';

/** What tells one machine from another. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** Contents of the system's machine ID file; empty if there is none. */
  readonly machineId: string;
  readonly hostName: string;
}

/** The machine that this process runs on. */
export function thisMachine(): Machine {
  let machineId = '';
  try {
    machineId = readFileSync(MACHINE_ID, 'utf8').trim();
  } catch {
    // Containers and other systems have none.
  }
  return { platform: process.platform, machineId, hostName: hostname() };
}

/**
 * Names the machine and the folder that sessions are kept in. Several remote machines may use the same SecretStorage,
 * and a home folder may be copied or shared, but locks and journals work on one machine only. So everything that's
 * stored outside the folder is stored under this name.
 *
 * Every window on this machine gets the same name, local or attached to a remote, with telemetry on or off, which
 * isn't true of the editor's machine ID and the name of its remote. On Linux, machines and containers have an ID in a
 * file, or else a host name that stays the same. macOS changes its host name with the network, and neither macOS nor
 * Windows has such a file, so there all machines with the same folder have the same name.
 */
export function originName({ platform, machineId, hostName }: Machine, folder: string): string {
  const ownName = platform === 'linux' ? machineId || hostName : '';
  return createHash('sha256')
    .update(JSON.stringify([platform, ownName, folder]))
    .digest('hex')
    .slice(0, 32);
}
