import type { Locator } from 'playwright-core';
import { ONE_TRY, until } from '../../host/until';
import type { Workbench } from '../../host/workbench';

/** How long a list takes to open, in milliseconds. */
const OPENS_WITHIN = 3_000;

/** Takes the entry of a list that has this text; the rest of it depends on the version, and on the server's state. */
export async function takeEntry(workbench: Workbench, text: string): Promise<void> {
  const entry = entryWith(workbench, text);
  await until(`the entry with "${text}" to be taken`, async () => {
    // Under a mouse that rests, the description of another entry may open and cover this one.
    await workbench.page.mouse.move(0, 0);
    await entry.click({ timeout: ONE_TRY });
    return true;
  });
  await entry.waitFor({ state: 'hidden' });
}

/** Runs a tool of an MCP server as soon as VS Code knows it, and resolves with what the sample says then. */
export async function runTool(workbench: Workbench, tool: string, input?: object): Promise<string> {
  const entry = entryWith(workbench, `_${tool}`);
  await until(`the tool ${tool} to be listed`, async () => {
    await workbench.runCommand('Sample: Run an MCP Tool');
    return entry.waitFor({ timeout: OPENS_WITHIN }).then(
      () => true,
      () => false,
    );
  });
  await takeEntry(workbench, `_${tool}`);
  if (input !== undefined) await workbench.quickInput.enter(JSON.stringify(input));
  return await workbench.notifications.take(/^Sample: (?:the tool said|failed): /);
}

function entryWith({ page }: Workbench, text: string): Locator {
  return page.locator('.quick-input-widget .monaco-list-row', { hasText: text }).first();
}
