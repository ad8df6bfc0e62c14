import { copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../host/browser';
import { ARTIFACTS, ROOT } from '../host/paths';

/**
 * Renews the pictures in media: the icon from its drawing, and those of the README from the last run of the tests, which
 * leave pictures of the product in artifacts/pictures.
 */
async function main(): Promise<void> {
  const browser = await launchBrowser();
  try {
    const profile = await browser.newProfile();
    await drawIcon(await profile.context.newPage());
    for (const name of ['sign-in', 'status']) {
      await copyFile(path.join(ARTIFACTS, 'pictures', `${name}-light.png`), path.join(ROOT, 'media', `${name}.png`));
    }
  } finally {
    await browser.close();
  }
}

/** Width and height that the Marketplace wants, in pixels. */
const SIZE = 128;

/** Draws media/icon.png from media/icon.svg. */
async function drawIcon(page: Page): Promise<void> {
  const media = path.join(ROOT, 'media');
  const svg = await readFile(path.join(media, 'icon.svg'), 'utf8');
  await page.setViewportSize({ width: SIZE, height: SIZE });
  await page.setContent(`<style>body { margin: 0; } svg { display: block; }</style>${svg}`);
  await page.screenshot({ path: path.join(media, 'icon.png'), omitBackground: true });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
