import type { Page } from 'playwright-core';

/** What a screen reader is told of one thing on a page. */
export interface Heard {
  readonly role: string;
  readonly name: string;
  readonly description: string;
  readonly focused: boolean;
}

/** The accessibility tree of a page as a list, frames left out. */
export async function heardOn(page: Page): Promise<readonly Heard[]> {
  const session = await page.context().newCDPSession(page);
  try {
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    return nodes
      .filter(({ ignored }) => !ignored)
      .map(({ role, name, description, properties = [] }) => ({
        role: textOf(role?.value),
        name: textOf(name?.value),
        description: textOf(description?.value),
        focused: properties.some((property) => property.name === 'focused' && property.value.value === true),
      }));
  } finally {
    await session.detach();
  }
}

/** What a screen reader is told of the thing that takes the keys. */
export async function heardInFocus(page: Page): Promise<Heard> {
  const focused = (await heardOn(page)).filter((heard) => heard.focused).at(-1);
  if (focused === undefined) throw new Error('Nothing has the focus.');
  return focused;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
