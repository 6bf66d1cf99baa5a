-- Found by the random scripts: ROLLBACK TO a savepoint that is not there fails the transaction.
begin;
rollback to s0;
commit;
