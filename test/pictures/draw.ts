import { launchBrowser } from '../host/browser';
import { drawIcon } from './drawIcon';

/** Draws the pictures that are made from others. Those of the product itself are made by the tests of this folder. */
async function main(): Promise<void> {
  const browser = await launchBrowser();
  try {
    const profile = await browser.newProfile();
    await drawIcon(await profile.context.newPage());
  } finally {
    await browser.close();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
