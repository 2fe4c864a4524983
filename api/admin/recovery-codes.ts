import { Secret } from 'otpauth';

const HOW_MANY = 10;
/** 120 bits, which are 24 letters and digits: so many that a code is as safe under a fast hash. */
const CODE_BYTES = 15;

/** A recovery code as it is kept: people leave dashes out and type small letters. */
export function readRecoveryCode(typed: string): string {
  return typed.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

/** New recovery codes, as people copy them: `ABCD-EFGH-IJKL-MNOP-QRST-UVWX`, in base32, which has neither 0 nor 1. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: HOW_MANY }, () => {
    const text = new Secret({ size: CODE_BYTES }).base32;
    return text.match(/.{4}/g)?.join('-') ?? text;
  });
}
