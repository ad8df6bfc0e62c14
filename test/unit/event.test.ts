import assert from 'node:assert/strict';
import { EventEmitter } from '../../src/event';

/** Guards that who subscribes is told, as VS Code's own events do it. */
describe('an event', () => {
  it('tells all who have subscribed, in their order, until they dispose of that', () => {
    const emitter = new EventEmitter<string>();
    const told: string[] = [];
    const listen = (value: string): void => void told.push(value);
    emitter.event((value) => told.push(`first ${value}`));
    const [second, third] = [emitter.event(listen), emitter.event(listen)];
    emitter.fire('a');
    second.dispose();
    emitter.fire('b');
    third.dispose();
    emitter.fire('c');
    assert.deepEqual(told, ['first a', 'a', 'a', 'first b', 'b', 'first c']);
  });

  it('tells those who were subscribed when it happened, whoever goes meanwhile', () => {
    const emitter = new EventEmitter<number>();
    const told: number[] = [];
    const first = emitter.event(() => {
      first.dispose();
      emitter.event((value) => told.push(-value));
    });
    emitter.event((value) => told.push(value));
    emitter.fire(1);
    assert.deepEqual(told, [1]);
  });
});
