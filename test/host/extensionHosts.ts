import { descendantsOf } from './processTable';

/**
 * The process IDs of the extension hosts that a server runs, oldest first. One window has one; to kill or stop one,
 * send it a signal.
 */
export function extensionHostsOf(server: number): number[] {
  const alike = descendantsOf(server).filter(({ command }) => command.includes('--type=extensionHost'));
  const pids = new Set(alike.map(({ pid }) => pid));
  // What an extension host has just forked looks like it until it runs its own program.
  return alike
    .filter(({ parent }) => !pids.has(parent))
    .map(({ pid }) => pid)
    .sort((a, b) => a - b);
}
