import { type Log, codeOf } from '../log';
import type { View } from './view';

/** Reads what changed on the disk. Returns why that was not possible, if it was not: then memory has to do. */
export async function look(view: View, log: Log): Promise<Error | undefined> {
  try {
    await view.update();
    return undefined;
  } catch (error) {
    const trouble = error instanceof Error ? error : new Error('unknown trouble');
    log.warn(`The folder of sessions can't be read (${codeOf(trouble)}).`);
    return trouble;
  }
}
