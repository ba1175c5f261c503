-- Run once, by an administrator, in the database that Nameplate is to have to itself (PostgreSQL 15 or newer).
-- Passwords are not here: psql's "\password nameplate_serve" sets one without writing it anywhere.

-- Makes and changes tables, which belong to it: "nameplate migrate", and nothing else, runs as this role.
create role nameplate_migrate login;
grant create on schema public to nameplate_migrate;

-- "nameplate serve" and every other command run as this role. It reads and writes rows, and can neither change nor drop a table.
create role nameplate_serve login;
alter default privileges for role nameplate_migrate in schema public
  grant select, insert, update, delete on tables to nameplate_serve;
