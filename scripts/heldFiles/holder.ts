import { closeSync, constants, openSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { HolderReport, HolderSettings } from './messages';

/** How often to look for new files. Milliseconds. */
const LOOK_AGAIN = 5;
/** Share of the files that are locked, as by a virus scanner. The others are kept from being removed, as by a backup. */
const LOCKED = 0.7;
/** How long a file is held, at least and at most. Milliseconds. */
const SHORTEST = 50;
const LONGEST = 500;
/** Opens a file without sharing it with anybody. libuv has this flag on Windows only, and Node.js no name for it. */
const SHARE_NOTHING = 0x10000000;

/**
 * Opens each new or changed file below some folders for a moment, as other programs on Windows do, so that nobody else can
 * open, replace, or remove it.
 */
class Holder {
  /** What each file looked like when it was held. */
  readonly #seen = new Map<string, string>();
  readonly #open = new Set<() => void>();
  held = 0;

  constructor(private readonly settings: HolderSettings) {}

  look(): void {
    const { root, folders } = this.settings;
    for (const folder of readdirSync(root).filter((name) => folders.some((prefix) => name.startsWith(prefix)))) {
      for (const file of filesBelow(path.join(root, folder))) {
        this.#hold(file);
      }
    }
  }

  letGo(): void {
    for (const close of this.#open) close();
  }

  #hold(file: string): void {
    try {
      const { ino, mtimeNs, size } = statSync(file, { bigint: true });
      const looks = `${ino} ${mtimeNs} ${size}`;
      if (this.#seen.get(file) === looks) return;
      const close = Math.random() < LOCKED ? lock(file) : keep(file);
      this.#seen.set(file, looks);
      this.held++;
      const letGo = (): void => {
        clearTimeout(timer);
        this.#open.delete(letGo);
        close();
      };
      const timer = setTimeout(letGo, SHORTEST + Math.random() * (LONGEST - SHORTEST));
      this.#open.add(letGo);
    } catch {
      // It's gone, or somebody else has it open: perhaps not at the next look.
    }
  }
}

/** Nobody else can open the file. */
function lock(file: string): () => void {
  const opened = openSync(file, constants.O_RDONLY | SHARE_NOTHING);
  return () => {
    closeSync(opened);
  };
}

/** Nobody else can remove or replace the file: SQLite doesn't share that, and Node.js always does. */
function keep(file: string): () => void {
  const opened = new DatabaseSync(file, { readOnly: true });
  return () => {
    opened.close();
  };
}

/** None if the folder is gone by now. */
function filesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}

function main(settings: HolderSettings): void {
  const report = (message: HolderReport): void => void process.send?.(message);
  const holder = new Holder(settings);
  const timer = setInterval(() => {
    holder.look();
  }, LOOK_AGAIN);
  process.on('message', () => {
    clearInterval(timer);
    holder.letGo();
    report({ kind: 'stopped', held: holder.held });
    process.disconnect();
  });
  // Whoever started it has gone.
  process.on('disconnect', () => process.exit());
  report({ kind: 'ready' });
}

main(JSON.parse(process.argv[2] ?? '') as HolderSettings);
