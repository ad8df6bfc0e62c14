import assert from 'node:assert/strict';
import { settle } from '../../../support/fakeClock';
import { sessionOf } from '../fakeSessions';
import { OWN, Window } from './providerBench';

describe('the scopes of a session', () => {
  it('are all that were asked for and that it has, when it’s announced', async () => {
    const window = await Window.open();
    for (const scopes of [['a'], ['b'], ['b', 'a']]) await window.provider.getSessions(scopes, {});
    window.change({ added: [sessionOf('Ada', 'Ada', { scopes: ['a'] })] });
    await settle();
    assert.deepEqual(
      window.events.at(-1)?.added?.map(({ scopes }) => scopes),
      [OWN, ['a']],
    );
  });

  it('that it got by another sign-in are announced to those who wait for them, with one change', async () => {
    const window = await Window.open();
    for (const scopes of [['a'], ['b', 'a'], ['c']]) await window.provider.getSessions(scopes, {});
    window.change({ added: [sessionOf('Ada', 'Ada', { scopes: ['a'] })] });
    const before = window.events.length;
    window.change({ changed: [sessionOf('Ada', 'Ada', { scopes: ['a', 'b'] })] });
    const [event, ...others] = window.events.slice(before);
    assert.deepEqual(others, []);
    assert.deepEqual(event?.changed?.length, 1);
    assert.ok(event.added?.some(({ scopes }) => scopes.join() === 'b,a'));
    assert.ok(event.added?.every(({ scopes }) => !scopes.includes('c')));
  });

  it('are those that another sign-in in progress was for, which is no session for others', async () => {
    const window = await Window.open();
    window.signIn = () => Promise.resolve(sessionOf('Ada', 'Ada', { scopes: ['a'] }));
    const { scopes } = await window.provider.createSession(['a'], {});
    assert.deepEqual(scopes, ['a']);
    await assert.rejects(window.provider.createSession(['b'], {}), /Finish or cancel/);
  });
});
