import type { Workbench } from '../host/workbench';

/** Takes the entry of a list that has this text; the rest of it depends on the version, and on the server's state. */
export async function takeEntry({ page }: Workbench, text: string): Promise<void> {
  const entry = page.locator('.quick-input-widget .monaco-list-row', { hasText: text }).first();
  await entry.click();
  await entry.waitFor({ state: 'hidden' });
}

/** Runs a tool of an MCP server, and resolves with what the sample says then. */
export async function runTool(workbench: Workbench, tool: string, input?: object): Promise<string> {
  await workbench.runCommand('Sample: Run an MCP Tool');
  await takeEntry(workbench, `_${tool}`);
  if (input !== undefined) await workbench.quickInput.enter(JSON.stringify(input));
  return await workbench.notifications.take(/^Sample: (?:the tool said|failed): /);
}
