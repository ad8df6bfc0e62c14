import { readdirSync, readFileSync } from 'node:fs';

/** A process as the kernel tells of it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** Its program and arguments, with NULs between them. */
  readonly command: string;
}

/**
 * All that a process has started, and what these have started, in whatever process group they are. Read from `/proc`,
 * as a minimal Linux has no `ps`; empty on systems without it.
 */
export function descendantsOf(ancestor: number): ProcessEntry[] {
  const processes = listProcesses();
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  const descends = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === ancestor || descends(parent));
  };
  return processes.filter(({ pid }) => descends(pid));
}

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

function listProcesses(): ProcessEntry[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((entry) => entry !== undefined);
}

function readProcess(pid: number): ProcessEntry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    // The name, before the last parenthesis, may contain anything.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : { pid, parent: Number(parent), command };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It has ended since the listing.
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
