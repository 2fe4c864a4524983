import { expect, it } from 'vitest';
import { htmlOf } from '../testing/render.ts';
import { Outlook } from './Outlook.tsx';

it('the outlook is shown for the last day that a date field accepts, although the unlock date is out of range', () => {
  const startsAt = Date.parse('275760-09-13');
  expect(() => htmlOf(<Outlook amount={null} outlook={null} startsAt={startsAt} />)).not.toThrow();
});
