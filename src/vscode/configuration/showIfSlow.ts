import type { Clock } from '../../clock';
import type { Editor } from '../editor/editor';
import type { ConfigurationTexts } from '../texts/configurationTexts';
import { shownAddress } from '../texts/plainText';

/** What checking a base URL works with. */
export interface CheckDependencies {
  readonly clock: Clock;
  readonly editor: Pick<Editor, 'progress'>;
  readonly configurationTexts: ConfigurationTexts;
}

/** A progress notification that came and went within this time would only flicker. Milliseconds. */
const A_MOMENT = 300;

/** Shows that this base URL is being checked, unless that's done in a moment. */
export async function showIfSlow<T>(deps: CheckDependencies, baseUrl: string, check: Promise<T>): Promise<T> {
  const { clock, configurationTexts, editor } = deps;
  const checked = new AbortController();
  const show = (): void => {
    editor.progress(configurationTexts.checking({ address: shownAddress(baseUrl) }), checked.signal);
  };
  clock.sleep(A_MOMENT, checked.signal).then(show, () => undefined);
  try {
    return await check;
  } finally {
    checked.abort();
  }
}
