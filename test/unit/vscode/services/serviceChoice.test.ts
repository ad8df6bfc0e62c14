import assert from 'node:assert/strict';
import { findPersonsService, onlyService } from '../../../../src/vscode/services/serviceChoice';
import { readConfiguration } from '../../../../src/vscode/settings/configuration';
import type { ConfiguredServices } from '../../../../src/vscode/settings/services';
import { createTexts } from '../../../../src/vscode/texts/texts';
import { confirmed } from '../../signin/scriptedClient';
import { english } from '../english';
import { FakeEditor } from '../fakeEditor';
import { sessionOf } from '../fakeSessions';
import { bench, nameOf } from '../signin/signInBench';

const GOOD_ID = { protocol: 'draft' as const, baseUrl: 'https://good.example', clientId: 'its client' };
const GOOD = { ...GOOD_ID, protocol: 'draft' };
const OTHER = { protocol: 'draft', baseUrl: 'https://other.example', clientId: 'its client' };
const BROKEN = { protocol: 'draft', baseUrl: 'https://broken.example', clientId: 'its client', verificationUrl: 'x' };

function servicesOf(...list: readonly object[]): ConfiguredServices {
  return readConfiguration(list, 'Some Brand').services;
}

/** Guards that a person who names no service gets the one that they can only mean, and otherwise chooses. */
describe('the service that a person means who names none', () => {
  for (const [what, list, expected] of [
    ['none if there’s none', [], undefined],
    ['the only one', [GOOD], 'good.example'],
    ['the only one, which is broken: then they learn why', [BROKEN], 'broken.example'],
    ['the only one that can be used, after a broken one', [BROKEN, GOOD], 'good.example'],
    ['the only one that can be used, before a broken one', [GOOD, BROKEN], 'good.example'],
    ['none of several that can be used', [GOOD, OTHER], undefined],
    ['none of several that can be used, beside a broken one', [BROKEN, GOOD, OTHER], undefined],
    ['none of several broken ones', [BROKEN, { ...BROKEN, baseUrl: 'https://worse.example' }], undefined],
  ] as const) {
    it(`is ${what}`, () => {
      assert.equal(onlyService(servicesOf(...list))?.name, expected);
    });
  }

  it('is chosen from all of them, broken ones named, and those without an account first', async () => {
    const editor = new FakeEditor();
    editor.choices = ['other.example'];
    const services = servicesOf(GOOD, BROKEN, OTHER);
    const held = [sessionOf('Ada', 'ada', { service: GOOD_ID })];
    const sessions = { list: () => Promise.resolve(held) };
    const title = 'Sign In';
    const chosen = await findPersonsService(editor, services, sessions, createTexts(english, 'en'), { title });
    assert.equal(typeof chosen === 'string' ? chosen : chosen.name, 'other.example');
    assert.deepEqual(editor.lists[0]?.labels, ['broken.example', 'other.example', 'good.example']);
    assert.deepEqual(editor.lists[0].icons, ['warning', 'server', 'server']);
    assert.equal(
      await findPersonsService(editor, services, sessions, createTexts(english, 'en'), { title }),
      'canceled',
    );
    assert.equal(
      await findPersonsService(editor, servicesOf(), sessions, createTexts(english, 'en'), { title }),
      'none',
    );
  });

  for (const [what, begin] of [
    ['Sign In', (b: ReturnType<typeof bench>) => b.run('signIn')],
    ['an old button', (b: ReturnType<typeof bench>) => b.signIn.startIfNeeded({}, b.clock.now())],
  ] as const) {
    it(`is the one that works for ${what}, although the first one is broken`, async () => {
      const b = bench({ services: [BROKEN, GOOD], responses: [confirmed] });
      b.secrets.kept.set(nameOf(GOOD_ID), 'its secret');
      void begin(b);
      await b.clock.advance(5_000);
      assert.deepEqual(
        b.sessions.added.map(({ service }) => service.baseUrl),
        [GOOD.baseUrl],
      );
      assert.deepEqual(b.editor.lists, []);
    });
  }
});
