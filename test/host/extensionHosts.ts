import { readdir, readFile } from 'node:fs/promises';

/**
 * The process IDs of the extension hosts that a server runs, oldest first. One window has one; to kill or stop one,
 * send it a signal.
 */
export async function extensionHostsOf(server: number): Promise<number[]> {
  const processes = await listProcesses();
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  const descends = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === server || descends(parents.get(pid)));
  return processes
    .filter(({ pid, command }) => command.includes('--type=extensionHost') && descends(pid))
    .map(({ pid }) => pid)
    .sort((a, b) => a - b);
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** The processes of this machine, by the kernel's own account of them, as a minimal Linux has no `ps`. */
async function listProcesses(): Promise<Process[]> {
  const names = await readdir('/proc');
  const found = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((name) => readProcess(Number(name))));
  return found.filter((entry) => entry !== undefined);
}

async function readProcess(pid: number): Promise<Process | undefined> {
  try {
    const [stat, command] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
    ]);
    // The name before the last parenthesis may contain anything.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : { pid, parent: Number(parent), command };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It has ended since the listing.
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
