import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** How long a window of the editor may write meanwhile. Milliseconds. */
const PATIENCE = 5_000;

/** Prints as JSON, in the last line, what a statement gives in all databases of a folder and of those in it. */
function main([folder = '', statement = '']: readonly string[]): void {
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const rows = files
    .filter((file) => file.endsWith('.sqlite'))
    .flatMap((file) => {
      const database = new DatabaseSync(path.join(folder, file));
      try {
        database.exec(`PRAGMA busy_timeout = ${PATIENCE}; PRAGMA journal_mode = PERSIST`);
        return database.prepare(statement).all();
      } finally {
        database.close();
      }
    });
  process.stdout.write(`\n${JSON.stringify(rows)}\n`);
}

main(process.argv.slice(2));
