import { createHash } from 'node:crypto';

/** What tells this machine from others. */
export interface MachineNames {
  /** The editor's own name for the machine, where it runs on the machine that the extension runs on. */
  readonly editorMachineId: string | undefined;
  /** Contents of the system's machine ID file, where there is one. */
  readonly systemMachineId: string | undefined;
  readonly hostName: string;
}

/**
 * Names the machine and the folder that sessions are kept in. The same SecretStorage may be seen from several remote
 * machines, and a home folder may be copied or shared: a session is refreshed only where it was made, as elsewhere
 * its lock and journal would not be seen.
 */
export function placeOf(machine: MachineNames, folder: string): string {
  const name = machine.editorMachineId ?? `${machine.systemMachineId?.trim() ?? ''} ${machine.hostName}`;
  return createHash('sha256')
    .update(JSON.stringify([name, folder]))
    .digest('hex')
    .slice(0, 32);
}
