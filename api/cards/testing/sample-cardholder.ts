export const SAMPLE_CARDHOLDER = {
  firstName: 'Zoë',
  lastName: 'Quillfeather',
  dateOfBirth: '1990-12-31',
  email: 'zoe@example.org',
  phone: '+44 20 7946 0958',
  acceptsTerms: true,
};
