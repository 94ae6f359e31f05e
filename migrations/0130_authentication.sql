-- The schema of sign-ins, sessions and exchange keys is called by the field's word.
alter schema door rename to authentication;
