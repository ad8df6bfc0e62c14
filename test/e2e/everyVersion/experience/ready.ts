import type { Workbench } from '../../../host/workbench';

/** Waits until the extension runs and the sample extension has handed it the client secret. */
export async function untilReady(workbench: Workbench): Promise<void> {
  await workbench.statusBarItem(/^The client secret was stored\.$/);
}
