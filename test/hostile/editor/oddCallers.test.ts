import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { packExtension } from '../../host/packExtension';
import { until } from '../../host/until';
import type { Workbench } from '../../host/workbench';
import { CODE_MESSAGE, openBrowser, userCodeIn } from '../../e2e/person';
import { useScene } from '../../e2e/scene';
import type { Ending } from './oddCaller/extension';

describe('another extension with odd requests', () => {
  let written = '';
  const scene = useScene({
    surroundings: async (_service, { root }) => {
      written = path.join(root, 'odd.jsonl');
      return {
        env: { DEVICE_FLOW_ODD_FILE: written },
        extensions: [await packExtension(path.join('hostile', 'editor', 'oddCaller'))],
      };
    },
  });
  const workbench = (): Workbench => scene().workbench;

  const done = async (name: string): Promise<readonly Ending[]> => {
    const told = new RegExp(`^Odd: ${name} is done`);
    await workbench().notifications.waitFor(told);
    await workbench().notifications.dismiss(told);
    const lines = (await readFile(written, 'utf8')).trim().split('\n');
    const line = JSON.parse(lines.at(-1) ?? '{}') as { name: string; endings: readonly Ending[] };
    assert.equal(line.name, name);
    for (const { call, outcome, message } of line.endings) {
      assert.notEqual(outcome, 'hangs', call);
      assert.notEqual(outcome, 'other', `${call} gets a token that is not the current one`);
      if (outcome === 'error') assert.notEqual(message, '', `${call} is told why`);
    }
    return line.endings;
  };
  const outcomes = (endings: readonly Ending[]): Readonly<Record<string, string>> =>
    Object.fromEntries(endings.map(({ call, outcome }) => [call, outcome]));

  it('gets a session as any other, by the person’s consent and sign-in', async () => {
    await workbench().runCommand('Odd: Ask');
    await workbench().dialog.answer(/Odd Caller.* wants to sign in/, 'Allow');
    const { text } = await workbench().notifications.waitFor(CODE_MESSAGE);
    const page = await openBrowser(workbench(), scene().profile.context);
    await page.enter(userCodeIn(text));
    await page.allow();
    await page.page.close();
    assert.equal((await done('ask')).length, 1);
  });

  it('gets a response to any request, and no other session, request, or message than others', async () => {
    const before = scene().service.requests.length;
    await workbench().runCommand('Odd: Ask Oddly');
    const endings = outcomes(await done('askOddly'));
    assert.equal(endings['well'], 'current', 'a call that is well made is answered as ever');
    assert.equal(endings['scopes: twice the same'], 'current');
    assert.equal(endings['scopes: a huge one'], 'current');
    assert.equal(endings['scopes: separators'], 'current');
    assert.equal(endings['options: to create and to force'], 'error');
    for (const call of ['a foreign account', 'an account with a huge ID']) {
      assert.notEqual(endings[`options: silent, and ${call}`], 'current', call);
    }
    assert.equal(scene().service.requests.length, before, 'the service is not asked for any of it');
    await workbench().screenshot('hostile/odd-calls');
  });

  it('is served when it asks a thousand times at once', async () => {
    const before = scene().service.requests.length;
    await workbench().runCommand('Odd: Ask Many Times');
    const endings = await done('askManyTimes');
    assert.equal(endings.length, 1000);
    assert.deepEqual([...new Set(endings.map(({ outcome }) => outcome))], ['current']);
    assert.deepEqual([...new Set(endings.map(({ scopes }) => scopes))], [2], 'each with exactly its scopes');
    assert.equal(scene().service.requests.length, before);
  });

  it('gets a response whatever it passes to commands', async () => {
    const before = scene().service.requests.length;
    await workbench().runCommand('Odd: Run Commands Oddly');
    const endings = await done('runCommandsOddly');
    assert.ok(endings.length > 30);
    assert.equal(scene().service.requests.length, before);
  });

  it("gets an error if it forces a sign-in for an account that isn't ours, and the person cancels", async () => {
    await workbench().runCommand('Odd: Force a New Session for a Foreign Account');
    await workbench().dialog.answer(/Odd Caller.* wants .*sign in/, 'Allow');
    await until('the name of the account to be asked for', async () =>
      (await workbench().quickInput.title()).includes('another account'),
    );
    await workbench().quickInput.cancel();
    const [ending] = await done('forceForAForeignAccount');
    assert.equal(ending?.outcome, 'error');
    await workbench().runCommand('Odd: Ask Oddly');
    assert.equal(outcomes(await done('askOddly'))['well'], 'current', 'the session is still served');
  });
});
