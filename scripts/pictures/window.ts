import type { Workbench } from '../../host/workbench';
import type { Size } from './film';

/** Settings of a window that's shown to people: nothing in it that has nothing to do with signing in. */
export const EXAMPLE_SETTINGS = {
  'workbench.colorTheme': 'Visual Studio Light',
  'workbench.layoutControl.enabled': false,
  'window.commandCenter': false,
  'window.menuBarVisibility': 'hidden',
  'breadcrumbs.enabled': false,
  'editor.minimap.enabled': false,
  'editor.occurrencesHighlight': 'off',
  'editor.lightbulb.enabled': 'off',
  'workbench.editor.editorActionsLocation': 'hidden',
};

/** What's left of the status bar: nothing that only VS Code's server shows, and nothing of the sample extension. */
const OTHER_ITEMS = '.statusbar-item:not([id^="device-flow.device-flow-authentication"], [id="status.notifications"])';

/** Makes a window small, with a file of its workspace in it. */
export async function tidyWindow({ page, quickInput }: Workbench, size: Size, file: string): Promise<void> {
  await page.setViewportSize(size);
  await page.keyboard.press('Control+P');
  await quickInput.type(file);
  await quickInput.pick(file);
  await page.locator('.tab', { hasText: file }).waitFor();
  await page.keyboard.press('Control+B');
  await page.addStyleTag({ content: `${OTHER_ITEMS} { display: none !important; }` });
}
