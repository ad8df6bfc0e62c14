import { descendantsOf } from './processTable';

/**
 * The process IDs of the extension hosts that a server runs, oldest first. One window has one; to kill or stop one,
 * send it a signal.
 */
export function extensionHostsOf(server: number): number[] {
  return descendantsOf(server)
    .filter(({ command }) => command.includes('--type=extensionHost'))
    .map(({ pid }) => pid)
    .sort((a, b) => a - b);
}
