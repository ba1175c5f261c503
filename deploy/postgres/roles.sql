-- Run once by an administrator, in a database used by Nameplate alone (PostgreSQL 15 or newer).
-- Set the passwords with psql's "\password nameplate_serve", which writes them nowhere.

-- Creates and changes tables, and owns them: for "nameplate migrate" and "nameplate copy".
create role nameplate_migrate login;
grant create on schema public to nameplate_migrate;

-- For "nameplate serve" and all other commands. Reads and writes rows; cannot change or drop tables.
create role nameplate_serve login;
alter default privileges for role nameplate_migrate in schema public
  grant select, insert, update, delete on tables to nameplate_serve;
