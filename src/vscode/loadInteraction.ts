import { codeOf, safeTrace } from '../log';
import type { Dependencies } from './dependencies';
import { ExplainedError } from './explainedError';

/**
 * A way to load a part of the extension that tells the person if it fails: an update or an uninstallation may have removed the
 * files that this window would load.
 * @param load loads the part
 * @returns loads it, or rejects with an ExplainedError that the person has seen
 */
export function loadOrExplain<Part>(
  { editor, log, texts }: Pick<Dependencies, 'editor' | 'log' | 'texts'>,
  load: () => Promise<Part>,
): () => Promise<Part> {
  return async () => {
    try {
      return await load();
    } catch (error) {
      log.error(`A part of the extension can't be loaded (${codeOf(error)}). ${safeTrace(error)}`);
      const text = texts.sessions.notLoaded;
      void editor.message('error', text, {
        [texts.buttons.reloadWindow]: () => editor.run('workbench.action.reloadWindow'),
      });
      throw new ExplainedError({ text, offers: [] });
    }
  };
}
