-- Run by psql in the container of compose.yaml when the database is created. Passwords come from the container's environment.
\getenv migrate_password MIGRATE_PASSWORD
\getenv serve_password SERVE_PASSWORD
alter role nameplate_migrate password :'migrate_password';
alter role nameplate_serve password :'serve_password';
