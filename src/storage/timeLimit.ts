import type { Clock } from '../clock';

/** The reason of every wait that ends early. There is one: to make another for each wait costs more than the wait. */
const IN_TIME = new Error('it came in time');

/**
 * What `call` brings, if it comes within so many milliseconds.
 * @throws what `tooLate` returns, where it does not.
 */
export async function withTimeLimit<T>(
  clock: Clock,
  milliseconds: number,
  call: Promise<T>,
  tooLate: () => Error,
): Promise<T> {
  const over = new AbortController();
  const limit = clock.sleep(milliseconds, over.signal).then(
    () => {
      throw tooLate();
    },
    () => call,
  );
  try {
    return await Promise.race([call, limit]);
  } finally {
    over.abort(IN_TIME);
  }
}
