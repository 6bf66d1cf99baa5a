-- Found by the random scripts: outcome: status.
begin;
rollback to s0;
commit;
