import { describe, expect, it } from 'vitest';
import { detectLanguage } from './language.ts';

describe('the detected language', () => {
  it.each([
    ['¿Cuánto tiempo está bloqueado mi stake?', 'es'],
    ['Wie lange ist meine Karte gesperrt?', 'de'],
    ['Combien coûte la recharge de la carte ?', 'fr'],
    ['كم يوما تبقى العملات مقفلة؟', 'ar'],
  ])('of “%s” is %s', (message, language) => expect(detectLanguage(message)).toBe(language));

  it.each([
    'does the card die if I unstake',
    'was my card in the mail',
    'what is the price of BD',
    'price',
    'Die, mein Freund, is a title',
    '???',
  ])('of “%s” is English or not recognized', (message) => expect(detectLanguage(message)).toBeNull());
});
