import assert from 'node:assert/strict';
import { NetworkError } from '../../../src/oauth/errors';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import { DUE, LIFETIME, Machine, type TestWindow } from './machine';

const OFFLINE = 8 * 3_600_000;

/** Guards that a machine without a network hardly works for its sessions, and has tokens as soon as somebody needs them. */
describe('a machine that is offline for eight hours', () => {
  let machine: Machine;
  let windows: readonly TestWindow[];
  let session: CurrentSession;
  /** How often a file was written, in any window. */
  let writes: number;
  /** How many attempts there were when the network came back. */
  let attempts: number;

  async function open(count: number): Promise<void> {
    machine = new Machine();
    const signedIn = await machine.openSignedIn();
    ({ session } = signedIn);
    windows = [signedIn.window, ...Array.from({ length: count - 1 }, () => machine.open())];
    writes = 0;
    for (const { rows, sessions } of windows) {
      rows.trouble = (_, written) => void (writes += written.length);
      void sessions.run();
    }
    await machine.advance(DUE / 2);
    machine.service.isOnline = false;
  }

  for (const count of [1, 3]) {
    describe(`with ${count} window${count === 1 ? '' : 's'}`, () => {
      beforeEach(async () => {
        await open(count);
        await machine.advance(OFFLINE);
        attempts = machine.service.asked;
      });

      it('tries at most 100 times to refresh, all windows together, and writes two small rows each time', () => {
        assert.ok(attempts >= 10 && attempts <= 100, `${attempts} attempts`);
        // Once, it also makes room for a response, in three steps.
        assert.ok(writes <= 2 * attempts + 3, `${writes} rows for ${attempts} attempts`);
        assert.deepEqual(
          windows.flatMap(({ told }) => told),
          [],
        );
      });

      it('has the next token within 2 s after somebody comes back to a window', async () => {
        machine.service.isOnline = true;
        windows.at(-1)?.sessions.wake();
        await machine.advance(2_000);
        for (const window of windows) assert.equal(await machine.token(window, 0), machine.service.accessToken());
        assert.equal(machine.service.asked, attempts + 1);
      });

      for (const [when, pause] of [
        ['within a second after an attempt failed', 500],
        ['while an attempt is under way', 0],
      ] as const) {
        it(`has the next token within 2 s after somebody comes back ${when}`, async () => {
          const fail = machine.service.hold(new NetworkError('refresh', 'unreachable', false));
          machine.service.isOnline = true;
          await machine.advance(31 * 60_000);
          if (pause > 0) fail();
          await machine.advance(pause);
          windows[0]?.sessions.wake();
          fail();
          await machine.advance(2_000);
          assert.equal(machine.service.asked, attempts + 2);
          for (const window of windows) assert.equal(await machine.token(window, 0), machine.service.accessToken());
        });
      }

      it('has the next token within 2 s after an extension asks for it', async () => {
        for (const window of windows) await assert.rejects(machine.serve(window, 2_000), { fault: 'not sent' });
        machine.service.isOnline = true;
        for (const window of windows) assert.equal(await machine.token(window, 2_000), machine.service.accessToken());
        assert.equal(machine.service.asked, attempts + windows.length + 1);
      });

      it('has the next token half an hour later even if nobody comes', async () => {
        machine.service.isOnline = true;
        await machine.advance(31 * 60_000);
        assert.equal(machine.service.asked, attempts + 1);
        for (const window of windows) assert.equal(await machine.token(window, 0), machine.service.accessToken());
      });
    });
  }

  it('tries once a minute at most if each request gets no response, whoever asks', async () => {
    await open(3);
    machine.service.isOnline = true;
    machine.service.nextFail(new NetworkError('refresh', 'timeout', true), 1_000);
    await machine.advance(3_600_000);
    attempts = machine.service.asked;
    assert.ok(attempts >= 10 && attempts <= 60 + 10, `${attempts} attempts`);
    const [window] = windows;
    assert.ok(window !== undefined);
    for (let second = 0; second < 180; second++) {
      await assert.rejects(machine.serve(window), { fault: 'no response' });
      await machine.advance(1_000);
    }
    assert.ok(machine.service.asked - attempts <= 3, `${machine.service.asked - attempts} attempts for callers`);
    machine.service.recover();
    await machine.advance(60_000);
    assert.equal(await machine.token(window), machine.service.accessToken());
  });

  it('tries again soon after somebody came back, because the network may take a moment longer', async () => {
    await open(1);
    await machine.advance(OFFLINE);
    windows[0]?.sessions.wake();
    await machine.advance(5_000);
    attempts = machine.service.asked;
    machine.service.isOnline = true;
    await machine.advance(20_000);
    assert.equal(machine.service.asked, attempts + 1);
  });

  it('tries once a second at most, however often extensions ask', async () => {
    await open(1);
    await machine.advance(OFFLINE);
    const [window] = windows;
    assert.ok(window !== undefined);
    const before = machine.service.asked;
    const start = machine.timeline.elapsed;
    for (let call = 0; call < 20; call++) await assert.rejects(machine.serve(window), { fault: 'not sent' });
    assert.equal(machine.service.asked - before, 20);
    assert.ok(machine.timeline.elapsed - start >= 19_000);
  });

  it('serves a token that’s due without an attempt for each caller', async () => {
    await open(1);
    await machine.advance(DUE / 2 + LIFETIME / 10);
    const [window] = windows;
    assert.ok(window !== undefined);
    const before = machine.service.asked;
    for (let call = 0; call < 10; call++) {
      assert.equal(await machine.token(window), session.accessToken);
      await machine.advance(2_000);
    }
    assert.ok(machine.service.asked - before <= 1);
  });

  for (const [what, needToken] of [
    [
      'somebody comes back',
      ({ sessions }: TestWindow) => {
        sessions.wake();
      },
    ],
    [
      'an extension asks',
      (window: TestWindow) => {
        void window.serve();
      },
    ],
  ] as const) {
    it(`refreshes as soon as ${what}, if the network came and went again`, async () => {
      await open(1);
      machine.service.isOnline = true;
      machine.service.nextFail(new NetworkError('refresh', 'unreachable', false, { systemCode: 'ENETUNREACH' }), 6);
      const [window] = windows;
      assert.ok(window !== undefined);
      machine.timeline.sleepMachine(LIFETIME);
      for (let second = 0; second < LIFETIME / 1_000 && machine.service.asked < 6; second++)
        await machine.advance(1_000);
      assert.equal(machine.service.asked, 6);
      await machine.advance(1_000);
      await machine.advance(10_000);
      assert.equal(machine.service.asked, 6, 'nobody needs it');
      needToken(window);
      await machine.advance(1_000);
      assert.equal(machine.service.asked, 7);
      assert.equal(await machine.token(window, 0), machine.service.accessToken());
    });
  }

  it('says when it tries next', async () => {
    await open(1);
    await machine.advance(OFFLINE);
    const [window] = windows;
    assert.ok(window !== undefined);
    const [listed] = await machine.finish(window.sessions.list());
    const wait = (listed?.nextRefreshAt ?? 0) - machine.timeline.now;
    const before = machine.service.asked;
    assert.ok(wait > 0);
    await machine.advance(wait - 1);
    assert.equal(machine.service.asked, before);
    await machine.advance(LIFETIME / 60);
    assert.equal(machine.service.asked, before + 1);
  });

  it('sends nothing after the window began to close', async () => {
    await open(1);
    await machine.advance(OFFLINE);
    const [window] = windows;
    assert.ok(window !== undefined);
    const served = window.serve();
    const closed = window.sessions.close();
    const before = machine.service.asked;
    await assert.rejects(machine.finish(served), { fault: 'not sent' });
    await machine.finish(closed);
    assert.equal(machine.service.asked, before);
  });
});
