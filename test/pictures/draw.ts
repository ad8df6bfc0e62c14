import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { launchBrowser } from '../host/browser';
import { ARTIFACTS, ROOT } from '../host/paths';
import { drawIcon } from './drawIcon';

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

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
