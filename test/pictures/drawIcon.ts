import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT } from '../host/paths';

/** Width and height that the Marketplace wants, in pixels. */
const SIZE = 128;

/** Draws media/icon.png from media/icon.svg. */
export async function drawIcon(page: Page): Promise<void> {
  const media = path.join(ROOT, 'media');
  const svg = await readFile(path.join(media, 'icon.svg'), 'utf8');
  await page.setViewportSize({ width: SIZE, height: SIZE });
  await page.setContent(`<style>body { margin: 0; } svg { display: block; }</style>${svg}`);
  await page.screenshot({ path: path.join(media, 'icon.png'), omitBackground: true });
}
